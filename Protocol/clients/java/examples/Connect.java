import carillon.client.CarillonClient;
import carillon.client.CarillonException;
import carillon.client.ServerInfo;

/** Opens a connection, asks for a round trip, shows the server and the principal. */
final class Connect {
    public static void main(String[] arguments) {
        try (CarillonClient client = CarillonClient.fromEnvironment()) {
            ServerInfo server = client.server().orElseThrow();
            System.out.println("server " + server.software());
            System.out.println("principal " + server.principal().orElse("of the certificate"));
            client.ping();
            System.out.println("round trip ok");
        } catch (CarillonException error) {
            Failed.exit(error);
        }
    }
}
