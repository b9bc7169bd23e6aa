package carillon.client;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of a push, of which the JSON for APNs is composed ({@code Payloads.md}). Its printed form has no texts.
 */
public final class Notification implements Payload {
    Text title;
    Text subtitle;
    Text body;
    String launchImage;
    Long badge;
    Sound sound;
    String threadId;
    String category;
    boolean contentAvailable;
    boolean mutableContent;
    InterruptionLevel interruptionLevel;
    Double relevanceScore;
    String targetContentId;
    String filterCriteria;
    boolean contentChanged;
    List<String> urlArgs;
    LiveActivity liveActivity;
    String mdm;
    Map<String, Object> data;

    /** Makes a notification without any field. */
    public Notification() {
    }

    /**
     * Sets the title.
     *
     * @param text the title
     * @return this
     */
    public Notification title(String text) {
        title = Text.of(text);
        return this;
    }

    /**
     * Sets the title.
     *
     * @param text the title, as it is or by its key
     * @return this
     */
    public Notification title(Text text) {
        title = ArgumentChecks.value("title", text);
        return this;
    }

    /**
     * Sets the subtitle.
     *
     * @param text the subtitle
     * @return this
     */
    public Notification subtitle(String text) {
        subtitle = Text.of(text);
        return this;
    }

    /**
     * Sets the subtitle.
     *
     * @param text the subtitle, as it is or by its key
     * @return this
     */
    public Notification subtitle(Text text) {
        subtitle = ArgumentChecks.value("subtitle", text);
        return this;
    }

    /**
     * Sets the body.
     *
     * @param text the body
     * @return this
     */
    public Notification body(String text) {
        body = Text.of(text);
        return this;
    }

    /**
     * Sets the body.
     *
     * @param text the body, as it is or by its key
     * @return this
     */
    public Notification body(Text text) {
        body = ArgumentChecks.value("body", text);
        return this;
    }

    /**
     * Sets the launch image.
     *
     * @param name the name of a file
     * @return this
     */
    public Notification launchImage(String name) {
        launchImage = ArgumentChecks.value("launch_image", name);
        return this;
    }

    /**
     * Sets the badge.
     *
     * @param number 0 or more; 0 removes it
     * @return this
     */
    public Notification badge(long number) {
        badge = number;
        return this;
    }

    /**
     * Sets the sound.
     *
     * @param name a file of the app, or {@code default}
     * @return this
     */
    public Notification sound(String name) {
        sound = Sound.of(name);
        return this;
    }

    /**
     * Sets the sound.
     *
     * @param value a sound, also a critical one
     * @return this
     */
    public Notification sound(Sound value) {
        sound = ArgumentChecks.value("sound", value);
        return this;
    }

    /**
     * Sets the thread in which devices group it.
     *
     * @param id the thread
     * @return this
     */
    public Notification threadId(String id) {
        threadId = ArgumentChecks.value("thread_id", id);
        return this;
    }

    /**
     * Sets the category, which has actions.
     *
     * @param name the category
     * @return this
     */
    public Notification category(String name) {
        category = ArgumentChecks.value("category", name);
        return this;
    }

    /**
     * Wakes the app.
     *
     * @param isSet true to do so
     * @return this
     */
    public Notification contentAvailable(boolean isSet) {
        contentAvailable = isSet;
        return this;
    }

    /**
     * Lets an extension of the app change it.
     *
     * @param isSet true to do so
     * @return this
     */
    public Notification mutableContent(boolean isSet) {
        mutableContent = isSet;
        return this;
    }

    /**
     * Sets how much it interrupts.
     *
     * @param level the level
     * @return this
     */
    public Notification interruptionLevel(InterruptionLevel level) {
        interruptionLevel = ArgumentChecks.value("interruption_level", level);
        return this;
    }

    /**
     * Sets its place in a summary.
     *
     * @param score from 0 to 1; of a Live Activity any number
     * @return this
     */
    public Notification relevanceScore(double score) {
        relevanceScore = score;
        return this;
    }

    /**
     * Sets the window that is brought forward.
     *
     * @param id the window
     * @return this
     */
    public Notification targetContentId(String id) {
        targetContentId = ArgumentChecks.value("target_content_id", id);
        return this;
    }

    /**
     * Sets what a Focus compares.
     *
     * @param text the criteria
     * @return this
     */
    public Notification filterCriteria(String text) {
        filterCriteria = ArgumentChecks.value("filter_criteria", text);
        return this;
    }

    /**
     * Says that widgets or controls have new content.
     *
     * @param isSet true to do so
     * @return this
     */
    public Notification contentChanged(boolean isSet) {
        contentChanged = isSet;
        return this;
    }

    /**
     * Sets the arguments of a URL.
     *
     * @param arguments texts
     * @return this
     */
    public Notification urlArgs(Collection<String> arguments) {
        urlArgs = ArgumentChecks.list("url_args", arguments);
        return this;
    }

    /**
     * Makes it a push of a Live Activity.
     *
     * @param activity the fields of the activity
     * @return this
     */
    public Notification liveActivity(LiveActivity activity) {
        liveActivity = ArgumentChecks.value("live_activity", activity);
        return this;
    }

    /**
     * Sets the magic of the management of devices.
     *
     * @param magic the magic
     * @return this
     */
    public Notification mdm(String magic) {
        mdm = ArgumentChecks.value("mdm", magic);
        return this;
    }

    /**
     * Sets members beside {@code aps}.
     *
     * @param members JSON values by name
     * @return this
     */
    public Notification data(Map<String, ?> members) {
        data = new LinkedHashMap<>(ArgumentChecks.value("data", members));
        return this;
    }

    Notification copy() {
        Notification copy = new Notification();
        copy.title = title;
        copy.subtitle = subtitle;
        copy.body = body;
        copy.launchImage = launchImage;
        copy.badge = badge;
        copy.sound = sound;
        copy.threadId = threadId;
        copy.category = category;
        copy.contentAvailable = contentAvailable;
        copy.mutableContent = mutableContent;
        copy.interruptionLevel = interruptionLevel;
        copy.relevanceScore = relevanceScore;
        copy.targetContentId = targetContentId;
        copy.filterCriteria = filterCriteria;
        copy.contentChanged = contentChanged;
        copy.urlArgs = urlArgs;
        copy.liveActivity = liveActivity;
        copy.mdm = mdm;
        copy.data = data;
        return copy;
    }

    @Override
    public byte[] json(PushType pushType) {
        Map<String, Object> object = Composer.compose(this);
        byte[] json = Json.write("payload", object);
        PayloadRules.check(object, json.length, ArgumentChecks.value("push_type", pushType));
        return json;
    }

    @Override
    public String toString() {
        return "notification";
    }
}
