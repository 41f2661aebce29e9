"""What the tests of several areas share: clients and servers, real indexes, waiting, samples."""
