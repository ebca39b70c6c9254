"""Pictures of graphs: boxes in layers, edges downwards, as SVG that needs nothing else."""
