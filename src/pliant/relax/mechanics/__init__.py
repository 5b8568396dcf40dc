"""What elements do at a pose: forces, stiffness, contacts, guides, friction [Lipson2006 section 2]."""
