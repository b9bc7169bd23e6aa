package carillon.client;

import java.util.Arrays;
import java.util.List;

/** A text of a notification: as it is, or a key of the app's own tables with arguments ({@code Payloads.md} §2). */
public sealed interface Text {
    /**
     * A text as it is.
     *
     * @param text the text
     */
    record Plain(String text) implements Text {
        /**
         * Refuses what is missing.
         *
         * @param text the text
         */
        public Plain {
            ArgumentChecks.value("text", text);
        }

        @Override
        public String toString() {
            return "text";
        }
    }

    /**
     * A key of the app's own tables.
     *
     * @param key the key
     * @param arguments what is put into the text
     */
    record Key(String key, List<String> arguments) implements Text {
        /**
         * Refuses what is missing, and copies the list.
         *
         * @param key the key
         * @param arguments what is put into the text
         */
        public Key {
            ArgumentChecks.value("loc_key", key);
            arguments = List.copyOf(ArgumentChecks.list("loc_args", arguments));
        }

        @Override
        public String toString() {
            return "key";
        }
    }

    /**
     * Takes a text as it is.
     *
     * @param text the text
     * @return the text
     */
    static Text of(String text) {
        return new Plain(text);
    }

    /**
     * Names a text of the app's own tables.
     *
     * @param key its key
     * @param arguments what is put into it
     * @return the text
     */
    static Text key(String key, String... arguments) {
        return new Key(key, Arrays.asList(ArgumentChecks.value("loc_args", arguments)));
    }
}
