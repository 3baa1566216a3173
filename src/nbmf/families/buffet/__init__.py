"""Indian buffets: sparse factor models whose number of components is found (Ohn)."""
