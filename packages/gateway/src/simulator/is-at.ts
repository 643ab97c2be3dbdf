/** Whether a route is asked, such as `GET /v1/models`. In it, a name in braces stands for any text. */
export function isAt(asked: string, route: string): boolean {
  const parts = route.split(/\{\w+\}/)
  if (parts.length === 1) return asked === route
  return new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('.+')}$`, 's').test(asked)
}
