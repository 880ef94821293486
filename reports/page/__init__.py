"""The pages people read: one self-contained HTML file each, without scripts or network."""
