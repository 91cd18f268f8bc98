// This file is empty; it owns the precompiled headers of all tests.
