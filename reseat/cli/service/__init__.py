"""The commands that run and look after Reseat itself."""
