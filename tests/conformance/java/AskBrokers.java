import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/** Asks the brokers' own assignors (KIP-848): a record as JSON a line in, what the class says a line out. */
public class AskBrokers {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(JSON.writeValueAsString(assigned(JSON.readTree(line))));
        }
        out.flush();
    }

    private static JsonNode assigned(JsonNode question) {
        Map<String, Uuid> ids = new HashMap<>();
        Map<Uuid, String> names = new HashMap<>();
        Map<Uuid, Integer> counts = new HashMap<>();
        question.get("topic_ids").fields().forEachRemaining(topic -> {
            Uuid id = Uuid.fromString(topic.getValue().asText());
            ids.put(topic.getKey(), id);
            names.put(id, topic.getKey());
            counts.put(id, question.get("partitions_per_topic").get(topic.getKey()).asInt());
        });
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        Set<Set<Uuid>> subscriptions = new HashSet<>();
        for (JsonNode member : question.get("members")) {
            String name = member.get("member_id").asText();
            Set<Uuid> topics = new HashSet<>();
            member.get("topics").forEach(topic -> topics.add(ids.get(topic.asText())));
            subscriptions.add(topics);
            Map<Uuid, Set<Integer>> lists = new LinkedHashMap<>();
            for (JsonNode one : member.get("owned_partitions")) {
                String told = one.asText();
                int at = told.lastIndexOf('-');
                Uuid id = ids.get(told.substring(0, at));
                int partition = Integer.parseInt(told.substring(at + 1));
                lists.computeIfAbsent(id, any -> new TreeSet<>()).add(partition);
                owners.computeIfAbsent(id, any -> new HashMap<>()).put(partition, name);
            }
            Map<Uuid, Set<Integer>> owned = new HashMap<>();
            lists.forEach((id, list) -> owned.put(id, new HashSet<>(list)));
            JsonNode instance = member.path("group_instance_id");
            members.put(name, new MemberSubscriptionAndAssignmentImpl(Optional.empty(),
                instance.isTextual() ? Optional.of(instance.asText()) : Optional.empty(), topics, new Assignment(owned)));
        }
        SubscriptionType type = subscriptions.size() == 1 ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        ConsumerGroupPartitionAssignor assignor = question.get("family").asText().equals("broker_range")
            ? new RangeAssignor() : new UniformAssignor();
        GroupAssignment given = assignor.assign(new GroupSpecImpl(members, type, owners), new SubscribedTopicDescriber() {
            @Override
            public int numPartitions(Uuid id) {
                return counts.getOrDefault(id, -1);
            }

            @Override
            public Set<String> racksForPartition(Uuid id, int partition) {
                return Set.of();
            }
        });
        ObjectNode told = JSON.createObjectNode();
        for (JsonNode member : question.get("members")) {
            String name = member.get("member_id").asText();
            Set<String> sorted = new TreeSet<>();
            if (given.members().containsKey(name)) {
                given.members().get(name).partitions().forEach((id, list) ->
                    list.forEach(one -> sorted.add(names.get(id) + "-" + one)));
            }
            ArrayNode list = told.putArray(name);
            sorted.forEach(list::add);
        }
        ObjectNode result = JSON.createObjectNode();
        result.set("assignment", told);
        return result;
    }
}
