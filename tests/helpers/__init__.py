"""What tests share, one idea a file. No test file imports another."""
