package carillon.client;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A device token: 1 to 255 bytes. Its printed form shows at most the first four bytes, and never more than half of them
 * (CONTRACT.md, TLS-4).
 */
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
     * @param text 2 to 510 digits, in small or capital letters
     * @return the token
     * @throws CarillonException INVALID_ARGUMENT if it is no such text
     */
    public static Token ofHex(String text) {
        try {
            return of(HexFormat.of().parseHex(ArgumentChecks.value("token", text)));
        } catch (IllegalArgumentException error) {
            throw CarillonException.invalid("token", "the token is not hexadecimal");
        }
    }

    /**
     * Makes a token of FCM, or an installation id, of its text (§16.3).
     *
     * @param text 1 to 255 characters of ASCII
     * @return the token, for the kinds {@code fcm} and {@code fid}
     * @throws CarillonException INVALID_ARGUMENT if it is no such text
     */
    public static Token ofText(String text) {
        if (!StandardCharsets.US_ASCII.newEncoder().canEncode(ArgumentChecks.value("token", text))) {
            throw CarillonException.invalid("token", "a token of FCM is ASCII");
        }
        return of(text.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Makes the token of a browser: the SHA-256 of the endpoint of its push subscription (§16.3).
     *
     * @param endpoint the endpoint, byte for byte as the browser gave it
     * @return the token, for the kind {@code web}
     */
    public static Token ofEndpoint(String endpoint) {
        try {
            byte[] text = ArgumentChecks.value("subscription", endpoint).getBytes(StandardCharsets.UTF_8);
            return of(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
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
        return HexFormat.of().formatHex(bytes, 0, Math.min(4, bytes.length / 2)) + "…";
    }
}
