/** Whether a text from outside can be the id of a row; anything else would make the statement fail. */
export function isRowId(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}
