"""What the robot knows: records, evidence, retrieval and the audit log."""
