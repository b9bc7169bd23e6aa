package carillon.client.codec;

/** An error of the server (§15). Members of type Long, the field and the reason are null if their tag is absent. */
public record ErrorFrame(int code, int scope, int effect, long retryAfterMs, String message, String field, Long limit,
    Long item, Long column, String reason) {
    /** Reads the payload of an error. */
    public static ErrorFrame read(Reader in) {
        int code = in.u16();
        int scope = in.u8();
        int effect = in.u8();
        long retryAfterMs = in.u32();
        String message = in.str();
        String field = null;
        Long limit = null;
        Long item = null;
        Long column = null;
        String reason = null;
        while (in.nextTag()) {
            switch ((int) in.tag()) {
                case 2 -> field = in.tagStr();
                case 4 -> limit = in.u64();
                case 6 -> item = in.u32();
                case 8 -> column = in.u32();
                case 10 -> reason = in.tagStr();
                default -> in.skip();
            }
        }
        return new ErrorFrame(code, scope, effect, retryAfterMs, message, field, limit, item, column, reason);
    }

    /** Returns true if the server closes the connection. An unknown scope is that of a request (CONTRACT.md, ERR-5). */
    public boolean isOfConnection() {
        return scope == 1;
    }
}
