/** Formats an amount of cents for the receipt. */
export function formatPrice(cents) {
  const whole = Math.floor(cents / 100);
  const rest = cents % 100;
  return `${whole}.${rest}`;
}
