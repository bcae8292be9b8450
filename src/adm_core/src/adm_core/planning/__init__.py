"""What the robot does next: skills, plans, validation and execution."""
