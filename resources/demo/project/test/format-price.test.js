import { cases } from 'cases';
import { formatPrice } from '../src/format-price.js';

cases('formatPrice', formatPrice, [
  [1250, '12.50'],
  [1205, '12.05'],
]);
