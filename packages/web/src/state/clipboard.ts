// Copying a text.

/** Also where browsers have no clipboard, as on pages without TLS. @returns words for the reader: whether it was copied */
export async function copied(text: string): Promise<string> {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  return isCopied || copiedBySelection(text) ? 'Copied' : 'The browser blocks this: select and copy it';
}

function copiedBySelection(text: string): boolean {
  const focused = document.activeElement as HTMLElement | null;
  const field = document.createElement('textarea');
  field.value = text;
  // Behind a dialog nothing else can be selected.
  (focused?.closest('dialog') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  focused?.focus();
  return isCopied;
}
