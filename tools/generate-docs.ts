// Pages under docs/generated, each from a registry: what the product says of itself cannot go stale.

/** Generated pages: path below the root -> text. */
export async function docFiles(): Promise<Map<string, string>> {
  return new Map();
}
