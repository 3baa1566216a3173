"""Do priors that are learned predict better than the paper's, and what do they find?"""
