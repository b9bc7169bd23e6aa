package carillon.client.session;

import carillon.client.codec.Reader;

/** A GOAWAY (§6.4). */
public record Goaway(long lastId, int code, long graceMs, long reconnectAfterMs, String reason) {
    /** Reads the payload. */
    public static Goaway read(Reader in) {
        Goaway goaway = new Goaway(in.u64(), in.u16(), in.u32(), in.u32(), in.str());
        in.end();
        return goaway;
    }
}
