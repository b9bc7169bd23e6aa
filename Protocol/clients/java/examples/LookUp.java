import carillon.client.BlockingAppCalls;
import carillon.client.CarillonClient;
import carillon.client.CarillonException;
import carillon.client.DeviceReference;
import carillon.client.DeviceRecord;
import carillon.client.Memberships;
import carillon.client.Unsigned;

/**
 * Looks up a device and its memberships, then an unknown token, whose error it handles; the arguments are TOKEN and
 * UNKNOWN.
 */
final class LookUp {
    public static void main(String[] arguments) {
        Failed.unlessGiven(arguments, "TOKEN", "UNKNOWN");
        try (CarillonClient client = CarillonClient.fromEnvironment()) {
            BlockingAppCalls app = client.app().blocking();
            DeviceRecord device = app.lookup(DeviceReference.token(arguments[0]));
            StringBuilder line = new StringBuilder("device " + Unsigned.toString(device.deviceId()) + " "
                + device.state());
            line.append(" ").append(device.locale().orElse("-"));
            device.attributes().forEach((name, value) -> line.append(" ").append(name).append("=").append(value));
            System.out.println(line);
            Memberships memberships = app.memberships(DeviceReference.token(arguments[0]), "", 100);
            memberships.groups().forEach(each -> System.out.println("group " + each.group()));
            memberships.topics().forEach(each ->
                System.out.println("topic " + each.topic()
                    + each.source().map(group -> " through " + group).orElse("")));
            try {
                app.lookup(DeviceReference.token(arguments[1]));
            } catch (CarillonException error) {
                System.out.println(error.codeName() + " " + error.effect() + " " + error.field().orElse(""));
            }
        } catch (CarillonException error) {
            Failed.exit(error);
        }
    }
}
