package carillon.client;

import java.util.Map;

/**
 * What a token is for (§16.3). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record TokenKind(int number) {
    /** Alerts and background pushes. */
    public static final TokenKind DEVICE = new TokenKind(1);
    /** Calls. */
    public static final TokenKind VOIP = new TokenKind(2);
    /** Live Activities. */
    public static final TokenKind LIVEACTIVITY = new TokenKind(3);
    /** Widgets. */
    public static final TokenKind WIDGET = new TokenKind(4);
    /** Controls. */
    public static final TokenKind CONTROL = new TokenKind(5);
    /** Push to talk. */
    public static final TokenKind PUSHTOTALK = new TokenKind(6);
    /** File Provider extensions. */
    public static final TokenKind FILEPROVIDER = new TokenKind(7);
    /** Location requests. */
    public static final TokenKind LOCATION = new TokenKind(8);
    /** Complications of a watch. */
    public static final TokenKind COMPLICATION = new TokenKind(9);
    /** Management of devices. */
    public static final TokenKind MDM = new TokenKind(10);
    /** Android: a registration token of FCM. */
    public static final TokenKind FCM = new TokenKind(11);
    /** Android: a Firebase installation id. */
    public static final TokenKind FID = new TokenKind(12);
    /** A browser. */
    public static final TokenKind WEB = new TokenKind(13);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "device"),
        Map.entry(2, "voip"),
        Map.entry(3, "liveactivity"),
        Map.entry(4, "widget"),
        Map.entry(5, "control"),
        Map.entry(6, "pushtotalk"),
        Map.entry(7, "fileprovider"),
        Map.entry(8, "location"),
        Map.entry(9, "complication"),
        Map.entry(10, "mdm"),
        Map.entry(11, "fcm"),
        Map.entry(12, "fid"),
        Map.entry(13, "web"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code mdm}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
