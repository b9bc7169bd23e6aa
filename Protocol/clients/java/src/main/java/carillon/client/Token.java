package carillon.client;

import java.util.Arrays;
import java.util.HexFormat;

/** A device token of APNs: 1 to 255 bytes. Its printed form shows the first four bytes only (TLS-4). */
public final class Token {
    private final byte[] bytes;

    private Token(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Makes a token of its bytes.
     *
     * @param bytes 1 to 255 bytes
     * @return the token
     * @throws CarillonException INVALID_ARGUMENT for another number of bytes
     */
    public static Token of(byte[] bytes) {
        if (bytes == null || bytes.length < 1 || bytes.length > 255) {
            throw CarillonException.invalid("token", "a token has 1 to 255 bytes");
        }
        return new Token(bytes.clone());
    }

    /**
     * Makes a token of its hexadecimal form.
     *
     * @param text 2 to 400 digits, in small or capital letters
     * @return the token
     * @throws CarillonException INVALID_ARGUMENT if it is no such text
     */
    public static Token ofHex(String text) {
        try {
            return of(HexFormat.of().parseHex(Given.value("token", text)));
        } catch (IllegalArgumentException error) {
            throw CarillonException.invalid("token", "the token is not hexadecimal");
        }
    }

    /**
     * Returns the bytes.
     *
     * @return a copy
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * Returns the whole token in hexadecimal.
     *
     * @return small letters
     */
    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Token token && Arrays.equals(bytes, token.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes, 0, Math.min(4, bytes.length / 2)) + "… (" + bytes.length + " bytes)";
    }
}
