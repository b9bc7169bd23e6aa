package carillon.client;

import java.util.ArrayList;
import java.util.List;

/** Where a server is: `host:port`, `[v6]:port` or `unix:path` (CONTRACT.md, ADR-1). The path is null for a host. */
record Address(String text, String host, int port, String path) {
    private static final int MAXIMUM_ADDRESSES = 32;

    static List<Address> parse(List<String> texts) {
        if (texts.isEmpty() || texts.size() > MAXIMUM_ADDRESSES) {
            throw CarillonException.invalid("addresses", "must have 1 to " + MAXIMUM_ADDRESSES + " items");
        }
        List<Address> addresses = new ArrayList<>();
        for (String text : texts) {
            addresses.add(parse(ArgumentChecks.value("addresses", text).strip()));
        }
        return addresses;
    }

    private static Address parse(String text) {
        if (text.startsWith("unix:") && text.length() > 5) {
            return new Address(text, "", 0, text.substring(5));
        }
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean isBracketed = host.startsWith("[") && host.endsWith("]");
        int port = port(text.substring(colon + 1));
        if (host.isEmpty() || port < 1 || port > 65_535 || host.contains(":") && !isBracketed) {
            throw CarillonException.invalid("addresses", "has what is not an address: " + text);
        }
        return new Address(text, isBracketed ? host.substring(1, host.length() - 1) : host, port, null);
    }

    private static int port(String text) {
        return text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    }

    boolean isUnix() {
        return path != null;
    }

    /** Returns true for an IP address. */
    boolean isLiteral() {
        return isLiteral(host);
    }

    static boolean isLiteral(String host) {
        return host.contains(":") || host.matches("[0-9]+(\\.[0-9]+){3}");
    }

    /** Returns true for {@code localhost} and literal loopback addresses (TLS-1). */
    boolean isLoopback() {
        return host.equals("localhost") || host.equals("::1") || host.equals("0:0:0:0:0:0:0:1")
            || host.matches("127(\\.[0-9]+){3}");
    }

    @Override
    public String toString() {
        return text;
    }
}
