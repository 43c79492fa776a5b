/* v 2^e, rounded once where it is subnormal, as math.Ldexp: a product where 2^e is normal. */
FN double times_power(double v, i32 e)
{
    if (e >= -1022 && e <= 1023) return v * double_of_words((u32)(e + 1023) << 20, 0);
    if (v == 0 || v - v != 0) return v;
    if ((BITS_OF_DOUBLE(v) >> 52 & 0x7ff) == 0) { /* subnormal */
        v *= 0x1p54;
        e -= 54;
    }
    u64 bits = BITS_OF_DOUBLE(v);
    i32 to = (i32)(bits >> 52 & 0x7ff) + e;
    bits &= ~((u64)0x7ff << 52);
    if (to >= 0x7ff) return DOUBLE_OF_BITS((bits >> 63 << 63) | (u64)0x7ff << 52);
    if (to > 0) return DOUBLE_OF_BITS(bits | (u64)to << 52);
    if (to > -54) return DOUBLE_OF_BITS(bits | (u64)(to + 54) << 52) * 0x1p-54;
    return DOUBLE_OF_BITS(bits >> 63 << 63);
}

/* The e with |v| in [2^(e-1), 2^e), and 0 for 0, NaN and Inf, as dd.Exponent. */
FN i32 exponent(double v)
{
    i32 less = 1022;
    if (v == 0 || v - v != 0) return 0;
    if ((BITS_OF_DOUBLE(v) >> 52 & 0x7ff) == 0) {
        v *= 0x1p54;
        less += 54;
    }
    return (i32)(BITS_OF_DOUBLE(v) >> 52 & 0x7ff) - less;
}
