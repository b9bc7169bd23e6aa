package carillon.client;

import java.time.Duration;
import java.time.Instant;

/**
 * Helpers for the {@code u64} of the protocol. Ids, cursors and sequences are a {@code long} of 64 unsigned bits: do
 * not compare them with {@code <}, and do not print them with {@code +}.
 */
public final class Unsigned {
    private static final long THOUSAND = 1000;

    private Unsigned() {
    }

    /**
     * Returns the decimal form.
     *
     * @param value an unsigned number
     * @return its digits, 0 to 2⁶⁴ − 1
     */
    public static String toString(long value) {
        return Long.toUnsignedString(value);
    }

    /**
     * Reads the decimal form.
     *
     * @param text digits
     * @return the unsigned number
     * @throws NumberFormatException if it is not a number from 0 to 2⁶⁴ − 1
     */
    public static long parse(String text) {
        return Long.parseUnsignedLong(text);
    }

    /**
     * Compares two numbers.
     *
     * @param left an unsigned number
     * @param right another one
     * @return below 0, 0 or above 0, as {@link Long#compareUnsigned}
     */
    public static int compare(long left, long right) {
        return Long.compareUnsigned(left, right);
    }

    /** Returns the larger of two unsigned numbers. */
    static long max(long left, long right) {
        return compare(left, right) >= 0 ? left : right;
    }

    /** Returns the time of unsigned milliseconds since 1970. */
    static Instant instant(long millis) {
        long rest = Long.remainderUnsigned(millis, THOUSAND);
        return Instant.ofEpochSecond(Long.divideUnsigned(millis, THOUSAND), rest * 1_000_000);
    }

    /** Returns the milliseconds since 1970 of a time, for the field of that name. */
    static long millis(String field, Instant time) {
        return Long.divideUnsigned(-1, THOUSAND) < seconds(field, time)
            ? -1 : time.getEpochSecond() * THOUSAND + time.getNano() / 1_000_000;
    }

    /** Returns the seconds since 1970 of a time, for the field of that name. */
    static long seconds(String field, Instant time) {
        if (time == null || time.getEpochSecond() < 0) {
            throw CarillonException.invalid(field, time == null ? "is null" : "is before 1970");
        }
        return time.getEpochSecond();
    }

    /** Returns the duration of unsigned milliseconds. */
    static Duration duration(long millis) {
        long rest = Long.remainderUnsigned(millis, THOUSAND);
        return Duration.ofSeconds(Long.divideUnsigned(millis, THOUSAND), rest * 1_000_000);
    }
}
