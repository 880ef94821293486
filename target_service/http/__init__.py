"""How requests come in and answers go out: fields, routes, problems, and what times them."""
