"""What generators share beneath their files: networks, trees, kernels, likelihood ratios, programs. No generator."""
