package carillon.client;

/** The texts of a notification in another language. What is not set is that of the notification. */
public final class Translation {
    private Text title;
    private Text subtitle;
    private Text body;
    private String launchImage;

    /** Makes a translation that changes nothing. */
    public Translation() {
    }

    /**
     * Sets the title.
     *
     * @param text the title
     * @return this
     */
    public Translation title(String text) {
        title = Text.of(text);
        return this;
    }

    /**
     * Sets the title.
     *
     * @param text the title
     * @return this
     */
    public Translation title(Text text) {
        title = ArgumentChecks.value("title", text);
        return this;
    }

    /**
     * Sets the subtitle.
     *
     * @param text the subtitle
     * @return this
     */
    public Translation subtitle(String text) {
        subtitle = Text.of(text);
        return this;
    }

    /**
     * Sets the subtitle.
     *
     * @param text the subtitle
     * @return this
     */
    public Translation subtitle(Text text) {
        subtitle = ArgumentChecks.value("subtitle", text);
        return this;
    }

    /**
     * Sets the body.
     *
     * @param text the body
     * @return this
     */
    public Translation body(String text) {
        body = Text.of(text);
        return this;
    }

    /**
     * Sets the body.
     *
     * @param text the body
     * @return this
     */
    public Translation body(Text text) {
        body = ArgumentChecks.value("body", text);
        return this;
    }

    /**
     * Sets the launch image.
     *
     * @param name the name of a file
     * @return this
     */
    public Translation launchImage(String name) {
        launchImage = ArgumentChecks.value("launch_image", name);
        return this;
    }

    /** Returns the notification in this language. */
    Notification of(Notification original) {
        Notification copy = original.copy();
        copy.title = title == null ? copy.title : title;
        copy.subtitle = subtitle == null ? copy.subtitle : subtitle;
        copy.body = body == null ? copy.body : body;
        copy.launchImage = launchImage == null ? copy.launchImage : launchImage;
        return copy;
    }
}
