/** The port of 127.0.0.1 that leads to the registries in the site of `setup`. */
export const REGISTRY_PORT = 4873;
