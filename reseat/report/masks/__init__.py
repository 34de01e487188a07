"""Names replaced by pseudonyms, and the files that lead back from them."""
