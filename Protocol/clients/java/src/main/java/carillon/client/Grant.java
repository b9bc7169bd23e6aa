package carillon.client;

/**
 * What a principal may do in an app.
 *
 * @param app the app; {@code *} = every app
 * @param roles a sum: 1 register, 2 send, 4 observe, 8 admin
 */
public record Grant(String app, int roles) {
}
