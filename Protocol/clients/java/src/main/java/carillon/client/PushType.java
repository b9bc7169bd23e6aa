package carillon.client;

import java.util.Map;

/**
 * The type of a push (§16.4). A number that this version does not know is kept (CONTRACT.md, TYP-3).
 *
 * @param number the number of the protocol
 */
public record PushType(int number) {
    /** A notification that the user sees. */
    public static final PushType ALERT = new PushType(1);
    /** A silent push that wakes the app. */
    public static final PushType BACKGROUND = new PushType(2);
    /** A request for the location. */
    public static final PushType LOCATION = new PushType(3);
    /** A call. */
    public static final PushType VOIP = new PushType(4);
    /** New data for a complication. */
    public static final PushType COMPLICATION = new PushType(5);
    /** A change for a File Provider. */
    public static final PushType FILEPROVIDER = new PushType(6);
    /** A contact with the management of devices. */
    public static final PushType MDM = new PushType(7);
    /** The start, an update or the end of a Live Activity. */
    public static final PushType LIVEACTIVITY = new PushType(8);
    /** Push to talk. */
    public static final PushType PUSHTOTALK = new PushType(9);
    /** New content for widgets. */
    public static final PushType WIDGETS = new PushType(10);
    /** New content for controls. */
    public static final PushType CONTROLS = new PushType(11);
    private static final Map<Integer, String> NAMES = Map.ofEntries(
        Map.entry(1, "alert"),
        Map.entry(2, "background"),
        Map.entry(3, "location"),
        Map.entry(4, "voip"),
        Map.entry(5, "complication"),
        Map.entry(6, "fileprovider"),
        Map.entry(7, "mdm"),
        Map.entry(8, "liveactivity"),
        Map.entry(9, "pushtotalk"),
        Map.entry(10, "widgets"),
        Map.entry(11, "controls"));

    /**
     * Returns the name of the protocol.
     *
     * @return the name, such as {@code controls}, or {@code unknown-} and the number
     */
    @Override
    public String toString() {
        return NAMES.getOrDefault(number, "unknown-" + number);
    }
}
