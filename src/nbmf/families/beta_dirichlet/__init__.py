"""Beta-Dir, Dir-Beta, Dir-Dir, bICA and c-bICA (Lumbreras, Filstroff and Févotte 2020)."""
