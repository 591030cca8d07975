"""Problems driven to their end: the engine, paths, certificates, advice; nothing of scikit-learn."""
