"""Documents that Reseat and Kafka write and read: snapshots, plans with their seal, assignments, certificates."""
