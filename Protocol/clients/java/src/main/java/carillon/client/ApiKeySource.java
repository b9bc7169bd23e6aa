package carillon.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** The API key: a value, a file or a function (CONTRACT.md, CRED-2). Its printed form never has the key. */
sealed interface ApiKeySource {
    /** Returns the key; null if none is configured. Reads a file, calls a function: not under a lock. */
    byte[] read() throws IOException;

    /** Returns true if the next key can be another one. */
    default boolean canChange() {
        return true;
    }

    private static byte[] checked(String key) throws IOException {
        if (key == null || key.isEmpty()) {
            return null;
        }
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 256) {
            throw new IOException("the key has more than 256 bytes");
        }
        return bytes;
    }

    /** A key that stays; null: none is configured. */
    final class Fixed implements ApiKeySource {
        private final String key;

        Fixed(String key) {
            this.key = key;
        }

        @Override
        public byte[] read() throws IOException {
            return checked(key);
        }

        @Override
        public boolean canChange() {
            return false;
        }
    }

    /** A key in a file. */
    record OfFile(Path file) implements ApiKeySource {
        @Override
        public byte[] read() throws IOException {
            return checked(Files.readString(file).strip());
        }
    }

    /** A key of a function of the program. */
    record OfFunction(Supplier<String> function) implements ApiKeySource {
        @Override
        public byte[] read() throws IOException {
            return checked(function.get());
        }

        @Override
        public String toString() {
            return "function";
        }
    }
}
