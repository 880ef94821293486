"""The plots of the pages, drawn by matplotlib and written into the page as SVG."""
