package carillon.client.session;

import carillon.client.codec.Reader;

/** A GOAWAY (§6.4). */
public record GoAway(long lastId, int code, long graceMs, long reconnectAfterMs, String reason) {
    /** Reads the payload. */
    public static GoAway read(Reader in) {
        GoAway goaway = new GoAway(in.u64(), in.u16(), in.u32(), in.u32(), in.str());
        in.end();
        return goaway;
    }
}
