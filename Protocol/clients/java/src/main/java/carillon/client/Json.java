package carillon.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;

/**
 * Writes JSON in the canonical form of {@code Payloads.md} §4: RFC 8785, but whole numbers of 64 bits with all digits.
 */
final class Json {
    private static final int MAXIMUM_DEPTH = 32;
    private static final int MAXIMUM_DIGITS = 17;
    private static final BigInteger MINIMUM_LONG = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MAXIMUM_LONG = BigInteger.valueOf(Long.MAX_VALUE);
    private final StringBuilder out = new StringBuilder(128);

    private Json() {
    }

    /** Writes an object; a fault has the path as field, which begins with the name. */
    static byte[] write(String name, Map<?, ?> object) {
        Json json = new Json();
        json.object(object, name, 1);
        return json.out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static CarillonException fault(String path, String message) {
        return CarillonException.invalid(path, message);
    }

    private void value(Object value, String path, int depth) {
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof CharSequence text) {
            string(text, path);
        } else if (value instanceof Map<?, ?> map) {
            object(map, path, depth);
        } else if (value instanceof Collection<?> items) {
            array(items, path, depth);
        } else if (value instanceof Number number) {
            number(number, path);
        } else {
            throw fault(path, "is not a JSON value: " + value.getClass().getName());
        }
    }

    private void object(Map<?, ?> map, String path, int depth) {
        checkDepth(path, depth);
        String[] names = new String[map.size()];
        int count = 0;
        for (Object name : map.keySet()) {
            if (!(name instanceof String text)) {
                throw fault(path, "has a name that is not a string");
            }
            names[count++] = text;
        }
        Arrays.sort(names); // by UTF-16 code units
        out.append('{');
        for (int index = 0; index < count; index++) {
            out.append(index == 0 ? "" : ",");
            string(names[index], path);
            out.append(':');
            value(map.get(names[index]), path + "." + names[index], depth + 1);
        }
        out.append('}');
    }

    private void array(Collection<?> items, String path, int depth) {
        checkDepth(path, depth);
        char before = '[';
        for (Object item : items) {
            out.append(before);
            value(item, path, depth + 1);
            before = ',';
        }
        out.append(items.isEmpty() ? "[]" : "]");
    }

    private static void checkDepth(String path, int depth) {
        if (depth > MAXIMUM_DEPTH) {
            throw fault(path, "is nested deeper than 32");
        }
    }

    private void string(CharSequence text, String path) {
        out.append('"');
        for (int index = 0; index < text.length(); index++) {
            char unit = text.charAt(index);
            if (Character.isSurrogate(unit)) {
                boolean isPair = Character.isHighSurrogate(unit) && index + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(index + 1));
                if (!isPair) {
                    throw fault(path, "has a lone surrogate");
                }
                out.append(unit).append(text.charAt(++index));
            } else if (unit == '"' || unit == '\\') {
                out.append('\\').append(unit);
            } else if (unit < 0x20) {
                int known = "\b\f\n\r\t".indexOf(unit);
                out.append(known >= 0 ? "\\" + "bfnrt".charAt(known) : String.format("\\u%04x", (int) unit));
            } else {
                out.append(unit);
            }
        }
        out.append('"');
    }

    private void number(Number number, String path) {
        if (number instanceof Integer || number instanceof Long || number instanceof Short || number instanceof Byte) {
            out.append(number.longValue());
        } else if (number instanceof BigInteger whole && whole.compareTo(MINIMUM_LONG) >= 0
            && whole.compareTo(MAXIMUM_LONG) <= 0) {
            out.append(whole);
        } else {
            double value = number.doubleValue();
            if (!Double.isFinite(value)) {
                throw fault(path, "is not finite");
            }
            out.append(ecmaScript(value));
        }
    }

    /** Returns the shortest form that reads back as the same double, as ECMAScript writes it. */
    static String ecmaScript(double value) {
        if (value == 0) {
            return "0";
        }
        BigDecimal shortest = shortest(Math.abs(value));
        String digits = shortest.unscaledValue().toString();
        int point = digits.length() - shortest.scale(); // the place of the decimal point, from the first digit
        StringBuilder text = new StringBuilder(value < 0 ? "-" : "");
        if (point > 21 || point < -5) {
            text.append(digits.charAt(0)).append(digits.length() > 1 ? "." : "").append(digits, 1, digits.length());
            return text.append('e').append(point > 0 ? "+" : "").append(point - 1).toString();
        }
        if (point <= 0) {
            return text.append("0.").append("0".repeat(-point)).append(digits).toString();
        }
        if (point >= digits.length()) {
            return text.append(digits).append("0".repeat(point - digits.length())).toString();
        }
        return text.append(digits, 0, point).append('.').append(digits, point, digits.length()).toString();
    }

    /** Double.toString of Java 17 does not always give the fewest digits. */
    private static BigDecimal shortest(double value) {
        BigDecimal exact = new BigDecimal(value);
        for (int precision = 1; precision < MAXIMUM_DIGITS; precision++) {
            BigDecimal below = exact.round(new MathContext(precision, RoundingMode.DOWN));
            BigDecimal above = exact.round(new MathContext(precision, RoundingMode.UP));
            boolean isBelow = below.doubleValue() == value;
            boolean isAbove = above.doubleValue() == value;
            if (isBelow || isAbove) {
                boolean isNearer = exact.subtract(below).compareTo(above.subtract(exact)) <= 0;
                return (isBelow && (isNearer || !isAbove) ? below : above).stripTrailingZeros();
            }
        }
        return exact.round(new MathContext(MAXIMUM_DIGITS, RoundingMode.HALF_EVEN)).stripTrailingZeros();
    }
}
