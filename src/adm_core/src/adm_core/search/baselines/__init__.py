"""Methods of exploration that the semantic area graph is compared with."""
