// The frontmatter fields that are links, each with the edge it states. Other fields are never read for links.

/** One declared link field. `incoming`: the named page is the subject and the page that declares it the object. */
export interface LinkField {
  /** Types of page on which the field counts; undefined for every page. */
  readonly pageType?: string;
  readonly fields: readonly string[];
  readonly linkType: string;
  readonly incoming: boolean;
  /** Folders in which a plain name is looked for first. */
  readonly folders: readonly string[];
}

const PEOPLE = ['people', 'persons', 'contacts'];
const COMPANIES = ['companies', 'organizations', 'organisations', 'orgs'];
const ANYWHERE: readonly string[] = [];

/** Every declared link field. Source: engine facts, D.1, frontmatter map. */
export const LINK_FIELDS: readonly LinkField[] = [
  { pageType: 'person', fields: ['company', 'companies'], linkType: 'works_at', incoming: false, folders: COMPANIES },
  { pageType: 'person', fields: ['founded'], linkType: 'founded', incoming: false, folders: COMPANIES },
  { pageType: 'company', fields: ['key_people'], linkType: 'works_at', incoming: true, folders: PEOPLE },
  { pageType: 'company', fields: ['partner'], linkType: 'yc_partner', incoming: true, folders: PEOPLE },
  {
    pageType: 'company',
    fields: ['investors'],
    linkType: 'invested_in',
    incoming: true,
    folders: [...PEOPLE, ...COMPANIES],
  },
  {
    pageType: 'deal',
    fields: ['investors'],
    linkType: 'invested_in',
    incoming: true,
    folders: [...PEOPLE, ...COMPANIES],
  },
  { pageType: 'deal', fields: ['lead'], linkType: 'led_round', incoming: true, folders: [...PEOPLE, ...COMPANIES] },
  { pageType: 'meeting', fields: ['attendees'], linkType: 'attended', incoming: true, folders: PEOPLE },
  { fields: ['sources'], linkType: 'discussed_in', incoming: true, folders: ANYWHERE },
  { fields: ['source'], linkType: 'source', incoming: false, folders: ['sources', 'media'] },
  { fields: ['related', 'see_also'], linkType: 'related_to', incoming: false, folders: ANYWHERE },
];

/** A value of a declared link field. */
export interface FieldValue {
  readonly field: string;
  readonly rule: LinkField;
  readonly value: string;
}

/** Values that one field may hold; more are not read. */
const VALUES_MAX = 200;

/** The values of the link fields that count on a page of `type`, in the order of the map. */
export function readFieldValues(frontmatter: Readonly<Record<string, unknown>>, type: string): FieldValue[] {
  const values: FieldValue[] = [];
  for (const rule of LINK_FIELDS) {
    if (rule.pageType !== undefined && rule.pageType !== type) continue;
    for (const field of rule.fields) {
      for (const value of stringsOf(frontmatter[field])) values.push({ field, rule, value });
    }
  }
  return values;
}

/** YAML reads `[[x]]` without quotes as a list in a list, so lists are opened to any depth that a person writes. */
function stringsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (!Array.isArray(value) || depth > 3) return [];
  return value
    .slice(0, VALUES_MAX)
    .flatMap((item: unknown) => stringsOf(item, depth + 1))
    .slice(0, VALUES_MAX);
}
