/**
 * What the page may load and whom it may talk to: itself. No inline script or style, no evaluation, no frames, no forms, nothing
 * from anywhere else. Pictures may be made on the page (`blob:`, `data:`).
 */
export function contentSecurityPolicy(connect: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' blob: data:",
    `connect-src ${["'self'", ...connect].join(" ")}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
