package carillon.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON: maps, lists, texts, booleans, null, and numbers as Long, BigInteger or Double. */
final class TestJson {
    private final String text;
    private int at;

    private TestJson(String text) {
        this.text = text;
    }

    static Object parse(String text) {
        TestJson json = new TestJson(text);
        Object value = json.value();
        json.skip();
        if (json.at != text.length()) {
            throw new IllegalArgumentException("more than one value");
        }
        return value;
    }

    static Object read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    private void skip() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        skip();
        return text.charAt(at);
    }

    private void expect(String word) {
        if (!text.startsWith(word, at)) {
            throw new IllegalArgumentException(word + " was expected at " + at);
        }
        at += word.length();
    }

    private Object value() {
        switch (peek()) {
            case '{':
                return object();
            case '[':
                return array();
            case '"':
                return string();
            case 't':
                expect("true");
                return true;
            case 'f':
                expect("false");
                return false;
            case 'n':
                expect("null");
                return null;
            default:
                return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        expect("{");
        while (peek() != '}') {
            String name = string();
            skip();
            expect(":");
            object.put(name, value());
            if (peek() == ',') {
                at++;
                skip();
            }
        }
        at++;
        return object;
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        expect("[");
        while (peek() != ']') {
            items.add(value());
            if (peek() == ',') {
                at++;
            }
        }
        at++;
        return items;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        expect("\"");
        for (char unit = text.charAt(at++); unit != '"'; unit = text.charAt(at++)) {
            if (unit != '\\') {
                out.append(unit);
                continue;
            }
            char escaped = text.charAt(at++);
            int known = "bfnrt".indexOf(escaped);
            if (escaped == 'u') {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                out.append(known < 0 ? escaped : "\b\f\n\r\t".charAt(known));
            }
        }
        return out.toString();
    }

    private Number number() {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(start, at);
        if (!digits.matches("-?[0-9]+")) {
            return new BigDecimal(digits).doubleValue() == 0 && digits.startsWith("-") ? -0.0 : Double.valueOf(digits);
        }
        BigInteger whole = new BigInteger(digits);
        return whole.bitLength() < 64 ? (Number) whole.longValue() : whole;
    }
}
