"""What an agent gets before it touches a file, after a failure and at an act that a memory forbids."""
