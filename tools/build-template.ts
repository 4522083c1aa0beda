// Builds the prepared empty database into packages/gbrain/dist/template/, when it is not there or of another schema.
// It must not know how one is made; the store does.
import { migrations } from '../packages/gbrain/src/generated/migrations.ts';
import { templateDir } from '../packages/gbrain/src/store/assets.ts';
import { writeTemplate } from '../packages/gbrain/src/store/template.ts';

/** True when it was built, false when the one there is current. */
export const buildTemplate = (): Promise<boolean> => writeTemplate(templateDir, migrations);

if (import.meta.main) {
  const built = await buildTemplate();
  process.stdout.write(`template: ${built ? 'built' : 'current'}\n`);
}
