"""What looks ahead: the weeks to come, how many brokers they take, and topics on their way to another cluster."""
