package carillon.client;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an app says about a device when it registers (§7.1). A field that is not set keeps its stored value.
 *
 * <p>Give {@link #seenAt}: without it the time is that of the server, and the call is not repeated by itself after its
 * connection was lost.
 */
public final class Registration {
    final DeviceReference.ByToken device;
    Instant seenAt;
    Token replaces;
    String locale;
    List<String> topics;
    String timeZone;
    List<String> groups;
    Map<String, String> attributes;
    byte[] subscription;

    private Registration(DeviceReference.ByToken device) {
        this.device = device;
    }

    /**
     * Begins a registration.
     *
     * @param environment the environment of the token
     * @param kind what the token is for
     * @param token the token
     * @return a registration that carries nothing else
     */
    public static Registration of(Environment environment, TokenKind kind, Token token) {
        return new Registration(new DeviceReference.ByToken(environment, kind, token));
    }

    /**
     * Begins the registration of a production device.
     *
     * @param token the token
     * @return a registration that carries nothing else
     */
    public static Registration of(Token token) {
        return of(Environment.PRODUCTION, TokenKind.DEVICE, token);
    }

    /**
     * Begins the registration of a browser.
     *
     * @param endpoint the endpoint of the subscription, byte for byte as the browser gave it
     * @param subscription what {@code PushSubscription.toJSON()} gives, as JSON in UTF-8
     * @return a registration that carries nothing else
     */
    public static Registration ofBrowser(String endpoint, byte[] subscription) {
        Registration made = of(Environment.PRODUCTION, TokenKind.WEB, Token.ofEndpoint(endpoint));
        made.subscription = ArgumentChecks.value("subscription", subscription).clone();
        return made;
    }

    /**
     * Sets when the app has seen the token.
     *
     * @param time the time; whole milliseconds count
     * @return this
     */
    public Registration seenAt(Instant time) {
        seenAt = ArgumentChecks.value("seen_at", time);
        return this;
    }

    /**
     * Sets the old token that this one replaces.
     *
     * @param token a token of the same environment and kind
     * @return this
     */
    public Registration replaces(Token token) {
        replaces = ArgumentChecks.value("replaces", token);
        return this;
    }

    /**
     * Sets the language.
     *
     * @param tag a language tag; the empty string forgets it
     * @return this
     */
    public Registration locale(String tag) {
        locale = ArgumentChecks.value("locale", tag);
        return this;
    }

    /**
     * Subscribes the device itself to topics.
     *
     * @param names topics
     * @return this
     */
    public Registration topics(Collection<String> names) {
        topics = ArgumentChecks.list("topics", names);
        return this;
    }

    /**
     * Sets the time zone.
     *
     * @param name a name of the IANA database; the empty string forgets it
     * @return this
     */
    public Registration timeZone(String name) {
        timeZone = ArgumentChecks.value("time_zone", name);
        return this;
    }

    /**
     * Lets the device join groups.
     *
     * @param names groups
     * @return this
     */
    public Registration groups(Collection<String> names) {
        groups = ArgumentChecks.list("groups", names);
        return this;
    }

    /**
     * Sets an attribute; others stay.
     *
     * @param name its name
     * @param value its value; the empty string removes the attribute
     * @return this
     */
    public Registration attribute(String name, String value) {
        attributes = attributes == null ? new LinkedHashMap<>() : attributes;
        attributes.put(ArgumentChecks.value("attributes", name), ArgumentChecks.value("attributes", value));
        return this;
    }

    @Override
    public String toString() {
        return "registration of " + device;
    }
}
