"""What an agent gets before it touches a file and at an act that a memory forbids, as `rust/engine/src/tool` has it."""
