package carillon.client.session;

import carillon.client.codec.Reader;
import java.util.List;

/** The answer to AUTH (§6.2). */
public record Principal(String name, List<Role> grants) {
    /** What the principal may do in an app. */
    public record Role(String app, int roles) {
    }

    /** Reads the answer. */
    public static Principal read(Reader in) {
        Principal principal = new Principal(in.str(), in.list(3, item -> new Role(item.str(), item.u8())));
        in.end();
        return principal;
    }
}
