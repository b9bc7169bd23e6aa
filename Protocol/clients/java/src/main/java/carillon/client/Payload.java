package carillon.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/** What a push carries: JSON as it is, or a {@link Notification} of which the JSON is composed. */
public sealed interface Payload permits Payload.Raw, Notification {
    /**
     * Returns the JSON for a push type.
     *
     * @param pushType the type of the push
     * @return UTF-8
     * @throws CarillonException INVALID_ARGUMENT with the path of the fault as field, for a notification that the
     *     server would refuse
     */
    byte[] json(PushType pushType);

    /** JSON that is sent as it is. Its printed form has only its length. */
    final class Raw implements Payload {
        private final byte[] bytes;

        private Raw(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public byte[] json(PushType pushType) {
            return bytes.clone();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Raw raw && Arrays.equals(bytes, raw.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return "payload of " + bytes.length + " bytes";
        }
    }

    /**
     * Takes JSON as it is.
     *
     * @param json UTF-8
     * @return the payload
     */
    static Payload of(byte[] json) {
        return new Raw(ArgumentChecks.value("payload", json).clone());
    }

    /**
     * Takes JSON as it is.
     *
     * @param json the text
     * @return the payload
     */
    static Payload of(String json) {
        return new Raw(ArgumentChecks.value("payload", json).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes a JSON object in its canonical form.
     *
     * @param object members by name: maps, collections, texts, whole numbers, doubles, booleans and null
     * @return the payload
     * @throws CarillonException INVALID_ARGUMENT with the path of the fault as field
     */
    static Payload of(Map<String, ?> object) {
        return new Raw(Json.write("payload", ArgumentChecks.value("payload", object)));
    }
}
