"""What is known at a prompt besides its words: the session, the branch, the files at hand, the focus."""
