"""What came in, before it is understood: bytes, text and lines, documents told apart, what a reading says of itself."""
